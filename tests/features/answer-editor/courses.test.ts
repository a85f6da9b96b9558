import { describe, expect, test } from 'vitest';
import { requestCourse, type RequestFacts } from '#features/brazil/service-requests/course.ts';
import {
  courseActions,
  courseRefusal,
  type Course,
  type Side,
} from '#features/tasks/answer-editor/course.ts';
import { taskCourse, type TaskFacts } from '#features/tasks/tasks/rules.ts';

/* What holds for every course, whatever its statuses are called. */

const SIDES: readonly Side[] = ['client', 'firm', 'system'];
const BOTH = [false, true] as const;

const taskFacts: TaskFacts[] = taskCourse.statuses.flatMap((status) =>
  BOTH.flatMap((isDeleted) =>
    BOTH.flatMap((isExpired) =>
      BOTH.flatMap((isOpened) =>
        BOTH.flatMap((isMandatory) =>
          (['firm', 'submission', 'system'] as const).map((acceptedBy) => ({
            status,
            isDeleted,
            isExpired,
            isOpened,
            isMandatory,
            acceptedBy,
          })),
        ),
      ),
    ),
  ),
);

const requestFacts: RequestFacts[] = requestCourse.statuses.flatMap((status) =>
  BOTH.flatMap((isDeleted) =>
    BOTH.flatMap((isOpened) =>
      BOTH.flatMap((isBegunByFirm) =>
        BOTH.flatMap((hasOpenDeadline) =>
          BOTH.flatMap((isMinimum) =>
            [0, 90, 91].map((daysSinceReply) => ({
              status,
              isDeleted,
              isOpened,
              isBegunByFirm,
              hasOpenDeadline,
              daysSinceReply,
              hasMinimum: isMinimum,
              isMinimum,
            })),
          ),
        ),
      ),
    ),
  ),
);

const COURSES = [
  { name: 'tasks', course: taskCourse as AnyCourse, facts: taskFacts as AnyFacts[] },
  { name: 'service requests', course: requestCourse as AnyCourse, facts: requestFacts as AnyFacts[] },
];

interface AnyFacts {
  status: string;
}
// a function takes the facts of its own course alone; here each course is given its own
type AnyCourse = Course<string, string, never, string> & Course<string, string, AnyFacts, string>;

describe.each(COURSES)('the course of $name', ({ course, facts }) => {
  const actions = [...new Set(SIDES.flatMap((side) => Object.keys(course.allowed[side])))];
  const steps = facts.flatMap((each) =>
    SIDES.flatMap((side) =>
      courseActions(course, each, side).map((action) => ({
        side,
        action,
        from: each.status,
        to: course.next(action, each),
      })),
    ),
  );

  /** The statuses that can follow one, sooner or later. */
  const reachableFrom = (start: string): Set<string> => {
    const found = new Set([start]);
    for (const status of found) for (const { from, to } of steps) if (from === status) found.add(to);
    return found;
  };

  test('every action leads to a status of the course', () => {
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.filter(({ to }) => !course.statuses.includes(to))).toEqual([]);
  });

  test('every status is reached from the first one', () => {
    expect([...reachableFrom(course.statuses[0])].toSorted()).toEqual([...course.statuses].toSorted());
  });

  test('every status leads to a final one, and no other ends a course', () => {
    const stuck = course.statuses.filter(
      (status) => !course.final.some((end) => reachableFrom(status).has(end)),
    );
    expect(stuck).toEqual([]);
    const ends = course.statuses.filter(
      (status) => !steps.some(({ from, to }) => from === status && to !== from),
    );
    expect(ends.filter((status) => !course.final.includes(status))).toEqual([]);
  });

  test('answers can be written exactly while the course says so, and a submission follows only then', () => {
    const saving = new Set(
      steps.filter(({ side, action }) => side === 'client' && action === 'save').map(({ from }) => from),
    );
    expect([...saving].toSorted()).toEqual([...course.fillable].toSorted());
    const submitting = steps.filter(({ side, action }) => side === 'client' && action === 'submit');
    expect(submitting.length).toBeGreaterThan(0);
    expect(submitting.filter(({ from, to }) => !course.fillable.includes(from) || from === to)).toEqual([]);
    expect(course.final.filter((status) => course.fillable.includes(status))).toEqual([]);
  });

  test('what a side never does is refused in every status', () => {
    const wrong = facts.flatMap((each) =>
      SIDES.flatMap((side) =>
        actions
          .filter((action) => course.allowed[side][action] === undefined)
          .filter((action) => courseRefusal(course, each, action, side) === undefined),
      ),
    );
    expect(wrong).toEqual([]);
  });
});
