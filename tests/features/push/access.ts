import { randomBytes, createECDH } from 'node:crypto';
import type { FeatureAccess } from '../../authz/feature-access.ts';

/** A browser of its own for each call. */
const subscription = () => ({
  endpoint: `https://fcm.googleapis.com/fcm/send/${randomBytes(12).toString('hex')}`,
  keys: {
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: randomBytes(16).toString('base64url'),
  },
});

export const access: FeatureAccess = {
  rules: {
    'post /api/notifications/v1/push-subscriptions': {
      forReaders: true,
      who: 'signed in',
      changes: ['push_subscriptions', 'limits'],
      updates: ['limits'],
    },
  },
  requests: {
    'post /api/notifications/v1/push-subscriptions': [
      { ids: {}, send: () => ({ json: subscription() }), named: ['showsTitles', 'isRenewal', 'replaces'] },
    ],
  },
  keys: { push_subscriptions: 'subscription_id' },
  fuzz: {
    notHere: {
      'POST /api/notifications/v1/push-subscriptions':
        'a key is a point of its curve only if it was made as one',
    },
  },
};
