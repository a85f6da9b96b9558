import type { FeatureAccess } from '../../authz/feature-access.ts';
import { toSignedIn } from '../../authz/page-policy.ts';
import { isReader } from '../../authz/policy.ts';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/shares': toSignedIn,
  },
  ids: {
    'shares?act=end&share=': {
      things: (things) => things.share,
      opens: (person, thing) =>
        thing.state === 'live' && thing.seenBy?.includes(person) ? (isReader(person) ? 303 : 200) : 404,
    },
    'shares?share=': {
      things: (things) => things.share,
      opens: (person, thing) => (thing.state === 'live' && thing.seenBy?.includes(person) ? 200 : 404),
    },
  },
};
