import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { encryptPush, newVapidKeys, vapidHeader } from '#features/office/push/web-push.server.ts';
import { decryptPush } from '../../support/push-service.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

test('a message is encrypted byte for byte as in RFC 8291, section 5 and appendix A', () => {
  const own = createECDH('prime256v1');
  own.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'));
  const body = encryptPush(
    'When I grow up, I want to be a watermelon',
    {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
    own,
    bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  );
  expect(body.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('only the browser can read a message, and each one is encrypted anew', () => {
  const [browser, other] = [createECDH('prime256v1'), createECDH('prime256v1')];
  other.generateKeys();
  const auth = randomBytes(16);
  const keys = { p256dh: browser.generateKeys('base64url'), auth: auth.toString('base64url') };
  const [first, second] = [encryptPush('Olá, Ana', keys), encryptPush('Olá, Ana', keys)];
  expect(first.equals(second)).toBe(false);
  expect(decryptPush(first, browser, auth)).toBe('Olá, Ana');
  expect(() => decryptPush(first, other, auth)).toThrow();
  expect(() => decryptPush(first, browser, randomBytes(16))).toThrow();
});

test('a point that is not on the curve is refused', () => {
  const p256dh = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)]).toString('base64url');
  expect(() => encryptPush('x', { p256dh, auth: randomBytes(16).toString('base64url') })).toThrow();
});

test('the token says who sends, to which push service, until when, signed by the key that the browser knows', () => {
  const keys = newVapidKeys();
  const header = vapidHeader(keys, {
    audience: 'https://push.example',
    contact: 'mailto:portal@firm.example',
    expiresAt: 1_800_000_000_500,
  });
  const [, head = '', claims = '', signature = '', key] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  expect(key).toBe(keys.publicKey);
  expect(JSON.parse(bytes(head).toString())).toEqual({ typ: 'JWT', alg: 'ES256' });
  expect(JSON.parse(bytes(claims).toString())).toEqual({
    aud: 'https://push.example',
    exp: 1_800_000_000,
    sub: 'mailto:portal@firm.example',
  });
  const point = bytes(keys.publicKey);
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const isGenuine = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    bytes(signature),
  );
  expect(isGenuine).toBe(true);
});
