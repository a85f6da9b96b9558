/*
 * Asks the browser for a passkey and puts the response into the form, which posts it as any other field. A
 * form declares its purpose by data attributes: `passkey` create or get, `domain`, `ids` of the acceptable
 * (get) or existing (create) keys, `user` and `name`.
 */

const CHALLENGE = '/api/security/v1/passkeys/challenge';
const bytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
const text = (buffer: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(buffer ?? new ArrayBuffer())))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

async function answerOf({
  passkey,
  domain = '',
  ids = '',
  user = '',
  name = '',
}: DOMStringMap): Promise<string> {
  const { http } = await import('#platform/http/http.ts'); // only now: sign-in pages are light
  const { challenge } = await http
    .post(CHALLENGE, { retry: 0, timeout: false })
    .json<{ challenge: string }>();
  const keys = ids
    .split(',')
    .filter(Boolean)
    .map((id) => ({ type: 'public-key' as const, id: bytes(id) }));
  const common = { challenge: bytes(challenge), timeout: 120_000 };
  const made =
    passkey === 'create'
      ? await navigator.credentials.create({
          publicKey: {
            ...common,
            rp: { id: domain, name: domain },
            user: { id: new TextEncoder().encode(user), name, displayName: name },
            pubKeyCredParams: [-7, -257, -8].map((alg) => ({ type: 'public-key', alg })),
            authenticatorSelection: {
              residentKey: 'required',
              requireResidentKey: true,
              userVerification: 'required',
            },
            excludeCredentials: keys,
          },
        })
      : await navigator.credentials.get({
          publicKey: { ...common, rpId: domain, allowCredentials: keys, userVerification: 'required' },
        });
  const { id, type, response } = made as PublicKeyCredential;
  const clientDataJSON = text(response.clientDataJSON);
  if (response instanceof AuthenticatorAttestationResponse) {
    return JSON.stringify({
      id,
      type,
      response: {
        clientDataJSON,
        authenticatorData: text(response.getAuthenticatorData()),
      },
    });
  }
  const { authenticatorData, signature } = response as AuthenticatorAssertionResponse;
  return JSON.stringify({
    id,
    type,
    response: { clientDataJSON, authenticatorData: text(authenticatorData), signature: text(signature) },
  });
}

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
  const failed = form.querySelector<HTMLElement>('[data-passkey-failed]');
  const field = form.elements.namedItem('credential');
  if (!('PublicKeyCredential' in globalThis)) form.dataset['passkey'] = 'none';
  form.addEventListener('submit', (event) => {
    if (!(field instanceof HTMLInputElement) || field.value !== '') return;
    event.preventDefault();
    if (failed) failed.textContent = '';
    answerOf(form.dataset).then(
      (answer) => {
        field.value = answer;
        form.submit();
      },
      () => {
        // The person declined, or the device failed: the text offers alternatives.
        if (failed) failed.textContent = failed.dataset['passkeyFailed'] ?? '';
      },
    );
  });
}
