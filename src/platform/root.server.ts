import { findPackageJSON } from 'node:module';
import path from 'node:path';

/** The folder of the project, wherever this lies: the portal runs from what is built in dist/, its tests from src/. */
export const ROOT = path.dirname(findPackageJSON(import.meta.url) ?? '');
