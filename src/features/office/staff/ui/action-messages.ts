/** The method of an attempted sign-in. */
export const HOW_WORDS = {
  password: 'howPassword',
  totp: 'howCode',
  'recovery-code': 'howRecoveryCode',
  passkey: 'howPasskey',
  rescue: 'howRescue',
  issuer: 'howIssuer',
} as const;

export const isHow = (how: string): how is keyof typeof HOW_WORDS => Object.hasOwn(HOW_WORDS, how);
