import type * as pkijs from 'pkijs';

const COMMON_NAME = '2.5.4.3';

/** The common name of the subject of a certificate; empty without one. */
export function commonNameOf({ subject }: pkijs.Certificate): string {
  const value: unknown = subject.typesAndValues.find(({ type }) => type === COMMON_NAME)?.value.valueBlock
    .value;
  return typeof value === 'string' ? value : '';
}
