import type { Party, Role } from '../fiscal-xml.ts';
import { factsOf, type Field } from './fields.server.ts';
import { child, firstText, text, type XmlElement } from '../xml.server.ts';

/** What else documents say of a party. */
const MORE: readonly Field[] = [
  ['tradeName', 'xFant'],
  ['cityId', 'IM'],
  ['suframa', 'ISUF'],
  ['phone', 'fone'],
  ['email', 'email'],
];

/** The parties of a document: role, the element of the party, and that of its address. */
export const partiesOf = (
  inf: XmlElement,
  roles: readonly (readonly [Role, person: string, address: string])[],
  taker?: Role,
): Party[] =>
  roles.flatMap(([role, person, address]) => {
    const found = child(inf, person);
    const party = found && partyOf(role, found, address === '' ? found : child(found, address));
    return party && (party.name !== '' || party.taxId !== '') ? [{ ...party, isTaker: role === taker }] : [];
  });

function partyOf(role: Role, person: XmlElement, address: XmlElement | undefined): Party {
  const street = [
    firstText(address, 'xLgr'),
    text(address, 'nro'),
    text(address, 'xCpl'),
    text(address, 'xBairro'),
  ]
    .filter(Boolean)
    .join(', ');
  const town = [firstText(address, 'xMun', 'xCidade'), firstText(address, 'UF', 'endNac.UF')]
    .filter(Boolean)
    .join('/');
  const postcode = firstText(address, 'CEP', 'endNac.CEP').replace(/^(\d{5})(\d{3})$/, '$1-$2');
  const country = text(address, 'xPais').replace(/^Brasil$/i, '');
  const phone = address === person ? '' : text(address, 'fone');
  return {
    role,
    name: text(person, 'xNome'),
    taxId: taxIdOf(person),
    stateId: text(person, 'IE'),
    address: [street, town, postcode, country].filter(Boolean).join(' · '),
    isTaker: false,
    facts: [
      ...factsOf(person, MORE),
      ...(phone === '' || text(person, 'fone') !== ''
        ? []
        : [{ label: 'phone', type: 'text', value: phone } as const]),
    ],
  };
}

/** The number of a person or company, whichever it has. */
const taxIdOf = (person: XmlElement | undefined): string =>
  firstText(person, 'CNPJ', 'CPF', 'idEstrangeiro', 'NIF');
