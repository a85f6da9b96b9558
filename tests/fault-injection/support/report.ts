import { appendFileSync } from 'node:fs';

/** Reports the measurements of a run, to standard output and to the file FAULTS_REPORT. */
export function report(what: string, measurements: Record<string, number | string>): void {
  const line = `${what}: ${Object.entries(measurements)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? Math.round(value * 10) / 10 : value}`)
    .join(', ')}\n`;
  process.stdout.write(line);
  if (process.env['FAULTS_REPORT']) appendFileSync(process.env['FAULTS_REPORT'], line);
}
