import { addDays, addMonths, type Day } from '#features/base/work-calendars/days.ts';
import { findCities } from '#features/brazil/establishments/cities.server.ts';
import { NOTICES, projectedEnd, REASONS } from '#features/brazil/labor-rules/termination.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import type { PlainValue } from '#features/tasks/questionnaires/questionnaires.ts';
import { chosenCode, numberOf, textOf, type Given } from '#features/brazil/service-request-rules/given.ts';

/*
 * Fields of events of eSocial that no question asks for, because they follow from the answers: the last day of a leave, the
 * end of a contract with the notice that is paid, the code of a city.
 */

/** A field of an event. Those of a row of a group are in its path. */
interface DerivedField {
  path: string;
  tag: string;
  value: string;
}

/** What is known of the employee. */
interface Known {
  hiredOn: Day;
}

const LEAVE = 'S-2230:infoAfastamento';
const VACATION = '15';

export const derivedFields = (type: RequestType, given: Given, employee: Known | undefined): DerivedField[] =>
  (DERIVED[type]?.(given, employee) ?? []).flatMap(({ value, ...field }) =>
    value === undefined ? [] : [{ ...field, value }],
  );

type Fields = (
  given: Given,
  employee: Known | undefined,
) => { path: string; tag: string; value: string | undefined }[];

const vacation: Fields = (given) => {
  const first = textOf(given.at('request.period-start'));
  return [
    {
      path: 'request.period-end',
      tag: `${LEAVE}.perAquis.dtFim`,
      value: first && addDays(addMonths(first, 12), -1),
    },
    ...given.rows('request.parts').flatMap(({ path, at }) => {
      const [start, days] = [textOf(at('start')), numberOf(at('days'))];
      return [
        { path: `${path}.reason`, tag: `${LEAVE}.iniAfastamento.codMotAfast`, value: VACATION },
        {
          path: `${path}.end`,
          tag: `${LEAVE}.fimAfastamento.dtTermAfast`,
          value: start === undefined || days === undefined ? undefined : addDays(start, days - 1),
        },
      ];
    }),
  ];
};

const leave: Fields = (given) => {
  const [start, days] = [textOf(given.at('request.start')), numberOf(given.at('request.days'))];
  const returned = textOf(given.at('request.returned-on'));
  const end = start === undefined || days === undefined ? undefined : addDays(start, days - 1);
  return [
    {
      path: 'request.last-day',
      tag: `${LEAVE}.fimAfastamento.dtTermAfast`,
      value: returned === undefined ? end : addDays(returned, -1),
    },
  ];
};

/** When the contract ends with the notice that the employer pays instead of having it worked (CLT, art. 487, § 1º). */
function projectedEndIn(given: Given, employee: Known | undefined): Day | undefined {
  const code = chosenCode(given.at('request.reason'));
  const reason = REASONS.find((each) => each === code);
  const notice = NOTICES.find((each) => each === textOf(given.at('request.notice')));
  const lastDay = textOf(given.at('request.last-day'));
  if (!employee || reason === undefined || notice !== 'paid' || lastDay === undefined) return undefined;
  const hasClause = given.at('request.clause') === true;
  return projectedEnd({ admission: employee.hiredOn, lastDay, reason, notice, hasClause });
}

const termination: Fields = (given, employee) => [
  {
    path: 'request.projected-end',
    tag: 'S-2299:infoDeslig.dtProjFimAPI',
    value: projectedEndIn(given, employee),
  },
];

/** The code of the city of an address; nothing if its name is that of several, or of none. */
const city =
  (event: string): Fields =>
  (given) => {
    const [code, other] = citiesOf(given.at('contact.address'));
    return [
      {
        path: 'contact.city',
        tag: `${event}:trabalhador.endereco.brasil.codMunic`,
        value: other === undefined ? code : undefined,
      },
    ];
  };

function citiesOf(address: PlainValue | undefined): readonly string[] {
  if (typeof address !== 'object' || !('city' in address)) return [];
  const state = address.state.split('-').at(-1) ?? '';
  return findCities(state === '' ? address.city : `${address.city}/${state}`);
}

const DERIVED: Partial<Record<RequestType, Fields>> = {
  vacationNotice: vacation,
  vacationCalculation: vacation,
  employeeLeave: leave,
  terminationNotice: termination,
  terminationCalculation: termination,
  employeeRegistration: city('S-2200'),
  internRegistration: city('S-2300'),
  partnerRegistration: city('S-2300'),
};
