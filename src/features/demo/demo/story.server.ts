import type { Actor } from '#features/base/people/people.ts';
import { contributed } from '#platform/runtime/feature.server.ts';

/*
 * What features add to the story of the demo, at scenes that world.server.ts makes. They act through the functions that
 * serve requests, at fixed times, for the people of the scene only.
 */

/** When things happen in the story. */
export interface Stage {
  /** The day on which the clients came to the portal. */
  firstDay: number;
  /** A day of which things are still waiting. */
  yesterday: number;
  /** Plans an act, which may plan further ones. */
  later: (instant: number, perform: () => Promise<unknown>) => void;
}

interface Scenes {
  /** The American firm has opened its portal. */
  americanFirm: { firm: Actor };
  /** Ana has an account at the Brazilian firm. */
  ana: { firm: Actor; ana: Actor };
  /** Ana has her bakery, with its documents, employees and certificates. */
  anasBakery: { firm: Actor; ana: Actor; clientId: string };
  /** The American firm asks Olivia’s bakery for what its sales tax return needs. */
  salesTaxTask: { firm: Actor; olivia: Actor; taskId: string };
}

type Story = {
  readonly [Scene in keyof Scenes]?: (scene: Scenes[Scene], stage: Stage) => Promise<void> | void;
};

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** What it adds to the story of the demo, by scene. */
    story: Story;
  }
}

/** Lets every feature add its part of a scene, in the order of the features. */
export async function play<Scene extends keyof Scenes>(
  name: Scene,
  scene: Scenes[Scene],
  stage: Stage,
): Promise<void> {
  for (const story of contributed('story')) await story[name]?.(scene, stage);
}
