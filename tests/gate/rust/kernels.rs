//! Kernels that the plain compiler makes PTX of, without a library for the target:
//!
//!     RUSTC_BOOTSTRAP=1 rustc --edition 2021 --target nvptx64-nvidia-cuda --crate-type lib
//!         --emit=asm -C opt-level=3 -C panic=abort -C target-cpu=sm_80
//!         -C debuginfo=line-directives-only -o kernels.ptx kernels.rs
#![no_core]
#![feature(no_core, lang_items, abi_ptx, link_llvm_intrinsics, intrinsics, rustc_attrs)]
#![allow(internal_features, improper_ctypes)]

#[lang = "pointee_sized"]
pub trait PointeeSized {}
#[lang = "meta_sized"]
pub trait MetaSized: PointeeSized {}
#[lang = "sized"]
pub trait Sized: MetaSized {}
#[lang = "copy"]
pub trait Copy {}
impl Copy for u32 {}
impl Copy for bool {}
impl<T: PointeeSized> Copy for *mut T {}

#[lang = "legacy_receiver"]
pub trait LegacyReceiver {}
impl<T: PointeeSized> LegacyReceiver for &T {}

#[lang = "add"]
pub trait Add<R = Self> {
    type Output;
    fn add(self, r: R) -> Self::Output;
}
impl Add for u32 {
    type Output = u32;
    #[inline(always)]
    fn add(self, r: u32) -> u32 {
        unsafe { unchecked_add(self, r) }
    }
}
#[rustc_intrinsic]
pub unsafe fn unchecked_add<T: Copy>(a: T, b: T) -> T;

#[lang = "eq"]
pub trait PartialEq<R: PointeeSized = Self> {
    fn eq(&self, r: &R) -> bool;
    fn ne(&self, r: &R) -> bool;
}
impl PartialEq for u32 {
    #[inline(always)]
    fn eq(&self, r: &u32) -> bool {
        *self == *r
    }
    #[inline(always)]
    fn ne(&self, r: &u32) -> bool {
        *self != *r
    }
}
#[lang = "partial_ord"]
pub trait PartialOrd<R: PointeeSized = Self>: PartialEq<R> {
    fn lt(&self, r: &R) -> bool;
    fn le(&self, r: &R) -> bool;
    fn gt(&self, r: &R) -> bool;
    fn ge(&self, r: &R) -> bool;
}
impl PartialOrd for u32 {
    #[inline(always)]
    fn lt(&self, r: &u32) -> bool {
        *self < *r
    }
    #[inline(always)]
    fn le(&self, r: &u32) -> bool {
        *self <= *r
    }
    #[inline(always)]
    fn gt(&self, r: &u32) -> bool {
        *self > *r
    }
    #[inline(always)]
    fn ge(&self, r: &u32) -> bool {
        *self >= *r
    }
}

extern "C" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    fn thread() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
    fn threads() -> u32;
    #[link_name = "llvm.nvvm.barrier0"]
    fn barrier();
}

/// A barrier for the threads below `n` alone.
#[no_mangle]
pub unsafe extern "ptx-kernel" fn guarded(out: *mut u32, n: u32) {
    if thread() < n {
        barrier(); // @guarded
        *out = n;
    }
}

/// As many barriers as a thread has elements.
#[no_mangle]
pub unsafe extern "ptx-kernel" fn strided(out: *mut u32, n: u32) {
    let mut i = thread();
    while i < n {
        barrier(); // @strided
        *out = i;
        i = i + threads();
    }
}

#[inline(never)]
unsafe fn rounds(out: *mut u32, k: u32) {
    let mut i = 0;
    while i < k {
        barrier(); // @called
        *out = i;
        i = i + 1;
    }
}

/// A function with barriers, called by the threads below `n`.
#[no_mangle]
pub unsafe extern "ptx-kernel" fn called(out: *mut u32, n: u32, k: u32) {
    if thread() < n {
        rounds(out, k);
    }
    barrier();
    *out = n;
}
