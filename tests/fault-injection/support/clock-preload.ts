// Preloaded into the portal: shifts the clock of the process, libraries included, by FAULTS_CLOCK
// milliseconds.
const ahead = Number(process.env['FAULTS_CLOCK']);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [RealDate.now() + ahead] : given) as [number]));
  }
  static override now(): number {
    return RealDate.now() + ahead;
  }
} as DateConstructor;
