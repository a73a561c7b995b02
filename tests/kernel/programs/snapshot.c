// SPDX-License-Identifier: GPL-2.0-or-later
// snapshot new PATH | snapshot of SUBVOLUME PATH: makes a btrfs subvolume, or a snapshot of one.
#include <fcntl.h>
#include <linux/btrfs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    int copies = strcmp(argv[1], "of") == 0;
    if (argc != 3 + copies) return 2;
    char* path = argv[argc - 1];
    char* slash = strrchr(path, '/');
    if (slash == NULL) return 2;
    struct btrfs_ioctl_vol_args args = {.fd = copies ? open(argv[2], O_RDONLY) : 0};
    snprintf(args.name, sizeof args.name, "%s", slash + 1);
    *slash = 0;
    int parent = open(path, O_RDONLY | O_DIRECTORY);
    if (parent < 0 || args.fd < 0 ||
        ioctl(parent, copies ? BTRFS_IOC_SNAP_CREATE : BTRFS_IOC_SUBVOL_CREATE, &args) < 0) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
