import type { FiscalText } from '../fiscal-xml.ts';
import type { Choices } from './fields.server.ts';

/* The codes of the layouts that people should not have to look up. */

export const OPERATION: Choices = { 0: 'operationIn', 1: 'operationOut' };
export const PURPOSE: Choices = {
  1: 'purposeNormal',
  2: 'purposeComplement',
  3: 'purposeAdjustment',
  4: 'purposeReturn',
  5: 'purposeCredit',
  6: 'purposeDebit',
};
export const PRESENCE: Choices = {
  1: 'presenceInPerson',
  2: 'presenceInternet',
  3: 'presencePhone',
  4: 'presenceHome',
  5: 'presenceOutside',
  9: 'presenceOther',
};
export const EMISSION: Choices = {
  1: 'emissionNormal',
  2: 'emissionContingency',
  3: 'emissionContingency',
  4: 'emissionContingency',
  5: 'emissionContingency',
  6: 'emissionContingency',
  7: 'emissionContingency',
  8: 'emissionContingency',
  9: 'emissionContingency',
};
export const FREIGHT: Choices = {
  0: 'freightIssuer',
  1: 'freightRecipient',
  2: 'freightThird',
  3: 'freightOwnIssuer',
  4: 'freightOwnRecipient',
  9: 'freightNone',
};
export const PAYMENT: Choices = {
  '01': 'payCash',
  '02': 'payCheck',
  '03': 'payCredit',
  '04': 'payDebit',
  '05': 'payStore',
  '10': 'payFood',
  '11': 'payMeal',
  '12': 'payGift',
  '13': 'payFuel',
  '14': 'payDuplicate',
  '15': 'paySlip',
  '16': 'payDeposit',
  '17': 'payPix',
  '18': 'payTransfer',
  '19': 'payLoyalty',
  '20': 'payPix',
  '21': 'payStoreCredit',
  '90': 'payNone',
  '91': 'payLater',
  '99': 'payOther',
};
export const WHEN_PAID: Choices = { 0: 'paidNow', 1: 'paidLater' };
export const TRANSPORT_KIND: Choices = {
  0: 'transportNormal',
  1: 'transportComplement',
  2: 'transportAnnulment',
  3: 'transportSubstitute',
  5: 'transportSimple',
  6: 'transportSimpleSubstitute',
};
export const TRANSPORT_SERVICE: Choices = {
  0: 'serviceNormal',
  1: 'serviceSubcontracted',
  2: 'serviceRedispatch',
  3: 'serviceIntermediateRedispatch',
  4: 'serviceMultimodal',
  6: 'servicePeople',
  7: 'serviceValuables',
  8: 'serviceBaggage',
};
const MODAL_NAMES: readonly FiscalText[] = [
  'modalRoad',
  'modalAir',
  'modalWater',
  'modalRail',
  'modalPipeline',
  'modalMultiple',
];
/** CT-e writes `01`, MDF-e `1`. */
export const MODAL: Choices = Object.fromEntries(
  MODAL_NAMES.flatMap((name, at) => [
    [String(at + 1), name],
    [`0${at + 1}`, name],
  ]),
);
/** The means of transport of an MDF-e are in another order than those of a CT-e. */
export const MANIFEST_MODAL: Choices = { 1: 'modalRoad', 2: 'modalAir', 3: 'modalWater', 4: 'modalRail' };
export const MANIFEST_ISSUER: Choices = {
  1: 'manifestCarrier',
  2: 'manifestOwnCargo',
  3: 'manifestGlobal',
};
export const WEIGHT_UNIT: Choices = {
  '00': 'unitM3',
  '01': 'unitKg',
  '02': 'unitTon',
  '03': 'unitPieces',
  '04': 'unitLiters',
  '05': 'unitMmbtu',
};
export const ISS_WITHHELD: Choices = { 1: 'issNotWithheld', 2: 'issByTaker', 3: 'issByIntermediary' };
export const YES_NO: Choices = { 0: 'no', 1: 'yes' };
