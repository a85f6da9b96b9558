/** A widget in an arrangement of the home page. */
export interface Placed {
  id: string;
  /** Beside the main column on wide screens. */
  isBeside: boolean;
  isShown: boolean;
}

/** What is wanted of the reader is always shown. */
export const ALWAYS_SHOWN = 'tasks';

/**
 * The widgets as an arrangement has them. One that the arrangement does not know, since it is newer, comes after the nearest
 * widget before it that is known; one that is not offered is left out.
 */
export function arranged(offered: readonly Placed[], arrangement: readonly Placed[] | undefined): Placed[] {
  if (!arrangement) return [...offered];
  const byId = new Map(offered.map((one) => [one.id, one]));
  const known = arrangement.filter(
    ({ id }, place) => byId.has(id) && arrangement.findIndex((other) => other.id === id) === place,
  );
  const result = known.map((one) => ({ ...one, isShown: one.isShown || one.id === ALWAYS_SHOWN }));
  for (const [place, one] of offered.entries()) {
    if (known.some(({ id }) => id === one.id)) continue;
    const before = offered.slice(0, place).map(({ id }) => id);
    const nearest = result.findLastIndex(({ id }) => before.includes(id));
    result.splice(nearest + 1, 0, one);
  }
  return result;
}

/** A change of an arrangement by one button. */
export type Move = 'up' | 'down' | 'column' | 'visibility';

/** The arrangement after one widget is moved within its column, to the other one, or hidden or shown again. */
export function moved(widgets: readonly Placed[], id: string, move: Move): Placed[] {
  const place = widgets.findIndex((one) => one.id === id);
  const one = widgets[place];
  if (!one) return [...widgets];
  if (move === 'column') return widgets.with(place, { ...one, isBeside: !one.isBeside });
  if (move === 'visibility')
    return widgets.with(place, { ...one, isShown: !one.isShown || id === ALWAYS_SHOWN });
  const isNeighbor = ({ isBeside }: Placed): boolean => isBeside === one.isBeside;
  const other =
    move === 'up'
      ? widgets.slice(0, place).findLastIndex(isNeighbor)
      : widgets.findIndex((neighbor, at) => at > place && isNeighbor(neighbor));
  const neighbor = widgets[other];
  return neighbor ? widgets.with(place, neighbor).with(other, one) : [...widgets];
}
