/** Shows on the terminal what is being measured; not part of the report. */
export const progress = (what: string): void =>
  void process.stderr.write(`  ${new Date().toISOString().slice(11, 19)} ${what}\n`);
