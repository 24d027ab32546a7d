mod params; // pub const BLOCK: usize = 128; LB_MAX: u32 = 128; WARP_TAIL: u32 = 0 and 1
use cuda_device::{DisjointSlice, SharedArray, cuda_module, kernel, launch_bounds, launch_contract, thread, warp};
use params::{BLOCK, LB_MAX, WARP_TAIL};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[launch_bounds(LB_MAX)]
    #[launch_contract(domain = 1, coordinates = u32)]
    pub fn row_sum(x: &[f32], mut out: DisjointSlice<f32>, scale: f32) {
        static mut PART: SharedArray<f32, BLOCK> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        let g = thread::index_1d().get();
        let v = if g < x.len() { x[g] } else { 0.0 };
        unsafe { PART[t % BLOCK] = v * scale; }
        thread::sync_threads();
        let mut s = BLOCK / 2;
        while s > 0 {
            if t < s { unsafe { PART[t] = PART[t] + PART[t + s]; } }
            if WARP_TAIL == 1 && s < 32 {
                if warp::warp_id() == 0 { thread::sync_threads(); }
            } else {
                thread::sync_threads();
            }
            s /= 2;
        }
        if let Some(o) = out.get_mut(thread::index_1d()) { *o = unsafe { PART[0] }; }
    }
}
