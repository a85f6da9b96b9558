import type { ChangeEvent, RefObject } from 'react';
import { formatSize } from '#platform/text/formats.ts';
import type { T } from '#platform/text/messages.ts';
import { MAX_PHOTOS, MAX_SCAN_BYTES } from '../rules.ts';
import type { ScanWord } from './scanner-messages.ts';

/* The fields of the scanner. Before and without scripts, the photos are chosen in one field and posted as they are. */

interface Common {
  t: T<ScanWord>;
  fieldRef: RefObject<HTMLInputElement | null>;
}

interface PhotosProps extends Common {
  locale: string;
  hasProblem: boolean;
  onPick: (event: ChangeEvent<HTMLInputElement>) => void;
}

export const PhotosField = ({ locale, hasProblem, onPick, fieldRef, t }: PhotosProps) => (
  <div className="field">
    <label className="scan-plain" htmlFor="photos">
      {t('photos')}
    </label>
    <p className="hint scan-plain">
      {t('photosHint', { most: MAX_PHOTOS, size: formatSize(locale, MAX_SCAN_BYTES) })}
    </p>
    {hasProblem && (
      <p className="field-error" id="photos-error">
        {t('nothing')}
      </p>
    )}
    <div className="scan-sources">
      <label className="choose-files scan-camera scan-live">
        <span className="button button-primary">{t('takePhoto')}</span>
        <input type="file" accept="image/*" capture="environment" onChange={onPick} />
      </label>
      <label className="choose-files">
        <span className="button">{t('choosePhotos')}</span>
        <input
          ref={fieldRef}
          id="photos"
          type="file"
          name="file[]"
          multiple
          accept="image/*"
          aria-describedby={hasProblem ? 'photos-error' : undefined}
          onChange={onPick}
        />
      </label>
    </div>
  </div>
);

interface NameProps extends Common {
  name: string;
  problem: 'nameMissing' | 'nameBad' | undefined;
}

export const NameField = ({ name, problem, fieldRef, t }: NameProps) => (
  <div className="field">
    <label htmlFor="name">{t('name')}</label>
    <p className="hint" id="name-hint">
      {t('nameHint')}
    </p>
    {problem && (
      <p className="field-error" id="name-error">
        {t(problem)}
      </p>
    )}
    <input
      ref={fieldRef}
      id="name"
      name="name"
      className="input"
      required
      maxLength={200}
      autoComplete="off"
      defaultValue={name}
      aria-invalid={problem ? true : undefined}
      aria-describedby={problem ? 'name-hint name-error' : 'name-hint'}
    />
  </div>
);

interface ColorsProps {
  isGrey: boolean;
  t: T<ScanWord>;
  onChange: (isGrey: boolean) => void;
}

export const ColorsField = ({ isGrey, t, onChange }: ColorsProps) => (
  <fieldset className="scan-live">
    <legend>{t('colors')}</legend>
    {[false, true].map((grey) => (
      <label key={String(grey)} className="check">
        <input type="radio" name="colors" checked={isGrey === grey} onChange={() => onChange(grey)} />
        {t(grey ? 'inGrey' : 'inColor')}
      </label>
    ))}
  </fieldset>
);
