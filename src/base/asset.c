#include "base/asset.h"

bool
asset_find(const char *path, struct str *out)
{
	for (size_t i = 0; i < n_assets; i++)
		if (strcmp(assets[i].path, path) == 0) {
			*out = (struct str){(const char *)assets[i].data, assets[i].n};
			return true;
		}
	return false;
}
