/** Registers the service worker, which is the same for all pages; undefined where the browser has none, or refuses. */
export async function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
  const [, base = ''] = location.pathname.split('/');
  if (!('serviceWorker' in navigator)) return undefined;
  // a browser that refuses it has the same pages
  return navigator.serviceWorker
    .register('/sw.js', { scope: `/${base}/`, updateViaCache: 'none' })
    .catch(() => undefined);
}

const RENEWED = 'push-renewed';

/**
 * Tells the portal once a visit that this browser is still in use, if it gets push notifications. `session` is another one for
 * each session.
 */
export async function renewPush(registration: ServiceWorkerRegistration, session: string): Promise<void> {
  const subscription = await registration.pushManager?.getSubscription();
  if (!subscription || sessionStorage.getItem(RENEWED) === session) return;
  sessionStorage.setItem(RENEWED, session);
  await sendSubscription(subscription, { isRenewal: true });
}

/** Returns whether this browser gets push notifications of who is signed in; undefined where the portal does not answer. */
export async function sendSubscription(
  subscription: PushSubscription,
  chosen: { isRenewal: true } | { showsTitles: boolean },
): Promise<boolean | undefined> {
  const { endpoint, keys } = subscription.toJSON();
  const answer = await fetch('/api/notifications/v1/push-subscriptions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Background': '1' },
    body: JSON.stringify({ endpoint, keys, ...chosen }),
  }).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as { isOn: boolean }).isOn : undefined;
}
