import { appendFileSync } from 'node:fs';

/** Says what a run measured, on standard output and in the file of FAULTS_REPORT. */
export function report(what: string, figures: Record<string, number | string>): void {
  const line = `${what}: ${Object.entries(figures).map(([name, value]) => `${name} ${typeof value === 'number' ? Math.round(value * 10) / 10 : value}`).join(', ')}\n`;
  process.stdout.write(line);
  if (process.env['FAULTS_REPORT']) appendFileSync(process.env['FAULTS_REPORT'], line);
}
