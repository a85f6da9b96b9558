/** What the command line says, for every part. */
export interface Options {
  /** How often each thing is measured; the figure is the median. */
  runs: number;
  /** Documents in the largest firm of `growth`. */
  rows: number;
  /** The large file of `transfer`, in MB of 1,000,000 bytes. */
  megabytes: number;
  /** Where `server` leaves CPU profiles of the portal. */
  profiles?: string;
}
