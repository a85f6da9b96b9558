import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { Step } from './steps.ts';

export const tables = {
  first_steps: { key: ['contact_id', 'step'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    first_steps: FirstSteps;
  }
}

/** The first steps that a person has put away. */
interface FirstSteps {
  contact_id: string;
  step: Step;
  at: Millis;
}
