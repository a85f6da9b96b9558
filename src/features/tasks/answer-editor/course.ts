/*
 * The course of what is asked and answered, as data: its statuses, who may do what in which, and what follows. Tasks have
 * one (`tasks/rules.ts`), service requests another. Pure, for server and browser.
 */

/**
 * The side that acts: contacts are clients, staff are the firm. The third one is the portal itself, when a date has come
 * or another feature decides.
 */
export type Side = 'client' | 'firm' | 'system';

/** `Facts` are what decides about an action besides the status, `Refusal` the codes of refusals. */
export interface Course<
  Status extends string,
  Action extends string,
  Facts extends { status: Status },
  Refusal extends string,
> {
  /** The first one is where it begins. */
  statuses: readonly [Status, ...Status[]];
  /** Statuses in which nobody is waited for. */
  final: readonly Status[];
  /** Statuses in which the client may write answers, which is the action `save`. */
  fillable: readonly Status[];
  /** The statuses in which each side may do something. */
  allowed: Readonly<Record<Side, Readonly<Partial<Record<Action, readonly Status[]>>>>>;
  /** The status after an action; the same one if it does not change it. */
  next: (action: Action, facts: Facts) => Status;
  /** Why something is refused whatever the status, such as to what was deleted. */
  refusedAnyway: (facts: Facts, action: Action, side: Side) => Refusal | undefined;
  /** The code if the status does not allow it; also for what a side never does. */
  refusedByStatus: (facts: Facts, action: Action, side: Side) => Refusal;
  /** Why something is refused although the status allows it. */
  refusedByFacts: (facts: Facts, action: Action, side: Side) => Refusal | undefined;
}

/** Returns why this side may not do this now; undefined if it may. */
export function courseRefusal<S extends string, A extends string, F extends { status: S }, R extends string>(
  course: Course<S, A, F, R>,
  facts: F,
  action: A,
  side: Side,
): R | undefined {
  const anyway = course.refusedAnyway(facts, action, side);
  if (anyway !== undefined) return anyway;
  const isAllowed = course.allowed[side][action]?.includes(facts.status) === true;
  return isAllowed ? course.refusedByFacts(facts, action, side) : course.refusedByStatus(facts, action, side);
}

/** What this side can do now. */
export const courseActions = <S extends string, A extends string, F extends { status: S }, R extends string>(
  course: Course<S, A, F, R>,
  facts: F,
  side: Side,
): A[] =>
  (Object.keys(course.allowed[side]) as A[]).filter(
    (action) => courseRefusal(course, facts, action, side) === undefined,
  );
