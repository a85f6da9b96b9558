import { findPackageJSON } from 'node:module';
import path from 'node:path';

/** The project folder: the portal runs from dist/, its tests from src/. */
export const ROOT = path.dirname(findPackageJSON(import.meta.url) ?? '');
