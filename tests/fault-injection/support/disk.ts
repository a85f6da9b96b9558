/** Mounts a disk of 128 MiB over the data folder, visible to the portal only and unmounted with it. */
const OWN_DISK =
  'mkdir "$DATA_DIR.kept" && cp -a "$DATA_DIR/." "$DATA_DIR.kept" && mount -t tmpfs -o size=128m tmpfs "$DATA_DIR" && cp -a "$DATA_DIR.kept/." "$DATA_DIR" && exec "$@"';
const READ_ONLY_DISK = OWN_DISK.replace('&& exec', '&& mount -o remount,ro "$DATA_DIR" && exec');
const isRoot = process.getuid?.() === 0;
const inItsOwnMounts = (script: string): string[] => [
  'unshare',
  ...(isRoot ? [] : ['--user', '--map-root-user']),
  '--mount',
  'sh',
  '-c',
  script,
  'sh',
];

/** Starts the portal with its data on a disk of 128 MiB. */
export const onADiskOfItsOwn = inItsOwnMounts(OWN_DISK);
/** The same with a disk that cannot be written. */
export const onAReadOnlyDisk = inItsOwnMounts(READ_ONLY_DISK);

/** Runs a command that sees the disk of a portal. SQLite follows a path through /proc to the folder below the disk. */
export const onTheDiskOf = (pid: number | undefined): string[] => [
  'nsenter',
  `--target=${pid}`,
  ...(isRoot ? [] : ['--user', '--preserve-credentials']),
  '--mount',
];
