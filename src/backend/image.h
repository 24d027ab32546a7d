/* What can be told of a module before a driver sees it. */
#ifndef BACKEND_IMAGE_H
#define BACKEND_IMAGE_H

#include "base/str.h"

bool image_is_elf(struct str bytes);
/* A whole shared object for a processor, not for a GPU. */
bool image_is_native(struct str bytes);
/* Bounds of an ELF file's tables, so that a damaged cubin does not reach the driver. */
bool image_is_whole(struct str bytes);
/*
 * The first instruction of a kernel (of machine code) or a module (of PTX) that reads
 * or writes through a texture or a surface, "tex.2d" or "SULD"; NULL: there is none.
 * A cubin has to be whole.
 */
const char *image_textures(struct arena *a, struct str bytes, struct str entry);

#endif
