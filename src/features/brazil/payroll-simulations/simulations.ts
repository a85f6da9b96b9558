/** What can be estimated, and the last part of the address of its page. */
export const SIMULATIONS = ['vacation', 'termination'] as const;
export type Simulation = (typeof SIMULATIONS)[number];

/** The simulation of what a request asks the firm to calculate. */
export function simulationFor(action: string): Simulation | undefined {
  if (action === 'vacation-calculation') return 'vacation';
  return action === 'termination-calculation' ? 'termination' : undefined;
}
