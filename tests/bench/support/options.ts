/** The command line options, for every part. */
export interface Options {
  /** The number of runs of each measurement; the reported value is the median. */
  runs: number;
  /** Documents in the largest firm of `growth`. */
  rows: number;
  /** The large file of `transfer`, in MB of 1,000,000 bytes. */
  megabytes: number;
  /** The folder for CPU profiles of the portal by `server`. */
  profiles?: string;
}
