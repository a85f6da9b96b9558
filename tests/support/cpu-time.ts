/**
 * The processor time in ms that this process spends while `work` runs, threads included. Unlike time of day, it
 * does not grow with what else the machine does.
 */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const began = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}
