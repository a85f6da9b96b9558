/** The interface that the mobile app injects to receive messages. */
export interface NativeChannel {
  postMessage: (message: string) => void;
}

declare global {
  interface Window {
    ReactNativeWebView?: NativeChannel;
    webkit?: { messageHandlers?: { clientPortal?: NativeChannel } };
  }
}

/** The session storage key that the app sets to `true` before it loads a page. */
const MOBILE_FLAG = 'ccMobile';

/**
 * Starts the bridge inside the mobile app, which is recognized by its flag and channel. Loads nothing
 * anywhere else.
 */
export function startInApp(): void {
  if (sessionStorage.getItem(MOBILE_FLAG) !== 'true') return;
  const channel = window.ReactNativeWebView ?? window.webkit?.messageHandlers?.clientPortal;
  if (typeof channel?.postMessage !== 'function') return;
  const { home = '/', origins = '' } = document.getElementById('mobile-bridge')?.dataset ?? {};
  void import('./bridge.ts').then(({ startBridge }) =>
    startBridge({ channel, home, origins: origins.split(' ').filter(Boolean) }),
  );
}
