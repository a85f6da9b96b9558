/** Waits, where time itself is measured. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds); // eslint-disable-line portal/no-sleeping -- a benchmark measures time; nothing is asserted
  });
