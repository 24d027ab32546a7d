// GEMM kernels of CUTLASS 4.2, built by its collective builder: nvcc -ptx -arch=sm_90a -std=c++17 -DNDEBUG
// --expt-relaxed-constexpr with, for each file, its SCHED, EPI and CL (the length of the cluster):
//   field_cutlass_pingpong         KernelTmaWarpSpecializedPingpong     TmaWarpSpecialized             1
//   field_cutlass_cooperative      KernelTmaWarpSpecializedCooperative  TmaWarpSpecializedCooperative  2
//   field_cutlass_warp_specialised KernelTmaWarpSpecialized             TmaWarpSpecialized             1
// and the entry given a short name. The .args are the kernel's parameter for 512 x 512 x 256 on 132
// multiprocessors, without the tensor maps.
#include "cutlass/cutlass.h"
#include "cute/tensor.hpp"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/gemm/kernel/tile_scheduler.hpp"
#include "cutlass/device_kernel.h"
using namespace cute;
using TileShape = Shape<_128,_128,_64>;
#ifndef CL
#define CL 2
#endif
using ClusterShape = Shape<Int<CL>,_1,_1>;
using ElemA = cutlass::half_t;
using EpiOp = typename cutlass::epilogue::collective::CollectiveBuilder<cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp,
  TileShape, ClusterShape, cutlass::epilogue::collective::EpilogueTileAuto, float, float,
  float, cutlass::layout::ColumnMajor, 4, float, cutlass::layout::ColumnMajor, 4, cutlass::epilogue::EPI>::CollectiveOp;
using MainOp = typename cutlass::gemm::collective::CollectiveBuilder<cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp,
  ElemA, cutlass::layout::RowMajor, 8, ElemA, cutlass::layout::ColumnMajor, 8, float, TileShape, ClusterShape,
  cutlass::gemm::collective::StageCount<4>, cutlass::gemm::SCHED>::CollectiveOp;
using Kern = cutlass::gemm::kernel::GemmUniversal<Shape<int,int,int,int>, MainOp, EpiOp>;
template __global__ void cutlass::device_kernel<Kern>(CUTLASS_GRID_CONSTANT typename Kern::Params const);
