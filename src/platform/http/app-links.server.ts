/** An Android app: its package and the SHA-256 fingerprint of its signing certificate. */
export interface AndroidApp {
  package: string;
  fingerprint: string;
}

/**
 * The association file under /.well-known/ that lets the mobile apps open deep links; undefined when no app
 * is configured for it.
 */
export function appLinkFile(
  name: string,
  {
    base,
    appleAppIds,
    androidApps,
  }: { base: string; appleAppIds: readonly string[]; androidApps: readonly AndroidApp[] },
): object | undefined {
  if (name === 'apple-app-site-association' && appleAppIds.length > 0) {
    return {
      applinks: { details: [{ appIDs: appleAppIds, components: [{ '/': `/${base}/*/.well-known/*` }] }] },
    };
  }
  if (name === 'assetlinks.json' && androidApps.length > 0) {
    return androidApps.map((app) => ({
      relation: ['delegate_permission/common.handle_all_urls'],
      target: {
        namespace: 'android_app',
        package_name: app.package,
        sha256_cert_fingerprints: [app.fingerprint],
      },
    }));
  }
  return undefined;
}
