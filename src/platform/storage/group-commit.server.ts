/** How long an item waits for its group to become full, in ms. */
const MAX_WAIT = 1000;

/**
 * Runs `work` for items in groups, one after the other, so that many concurrent writers share one transaction and its
 * wait for the disk. Returns what prepares an item and waits for its result. A group begins when it has `size` items,
 * when no further item is being prepared, or when one comes that waited for a second. `work` returns the results in
 * the order of its items; when it fails for several, each is tried alone, so that one that is refused does not fail
 * the others.
 */
export function inGroups<Item, Result>(
  size: number,
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): (prepare: () => Promise<Item>) => Promise<Result> {
  interface Waiting {
    item: Item;
    since: number;
    settle: PromiseWithResolvers<Result>;
  }
  const waiting: Waiting[] = [];
  let preparing = 0;
  let last = Promise.resolve();

  const runGroup = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const results = await work(group.map(({ item }) => item));
      for (const [index, { settle }] of group.entries()) settle.resolve(results[index] as Result);
    } catch (error) {
      if (group.length === 1) group[0]?.settle.reject(error);
      else for (const each of group) await runGroup([each]);
    }
  };
  const runIfDue = (): void => {
    const [oldest] = waiting;
    if (!oldest) return;
    if (preparing > 0 && waiting.length < size && performance.now() - oldest.since < MAX_WAIT) return;
    const group = waiting.splice(0, size);
    last = last.then(() => runGroup(group));
  };
  return async (prepare) => {
    const settle = Promise.withResolvers<Result>();
    preparing += 1;
    try {
      waiting.push({ item: await prepare(), since: performance.now(), settle });
    } finally {
      preparing -= 1;
      runIfDue();
    }
    return settle.promise;
  };
}
