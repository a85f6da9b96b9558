// Loaded before the portal: it and all its libraries live at another moment, FAULTS_CLOCK milliseconds from now.
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
