import type { FeatureAccess } from '../../authz/feature-access.ts';

export const access: FeatureAccess = {
  rules: {
    'get /api/core/v1/contact-address-countries': { who: 'signed in' },
    'get /api/core/v1/contact-address-state-provinces': { who: 'signed in' },
  },
  requests: {
    'get /api/core/v1/contact-address-countries': [{ ids: {} }],
    'get /api/core/v1/contact-address-state-provinces': [
      {
        ids: {},
        send: () => ({ query: { 'contactAddressCountryIdRequest.contactAddressCountryId': 'BR' } }),
      },
    ],
  },
};
