import type { Remark } from '../remarks.ts';

/** What is said about an answer while somebody types. What forbids it is said as a problem of its field. */
export const Remarks = ({ remarks, isWhole }: { remarks: readonly Remark[]; isWhole: boolean }) => {
  const shown = isWhole ? remarks : remarks.filter(({ severity }) => severity !== 'blocks');
  return shown.length === 0 ? null : (
    <ul className="remarks">
      {shown.map(({ rule, severity, mark, text, law }) => (
        <li key={rule + text} data-severity={severity}>
          <strong>{mark}</strong> {text} <small>({law})</small>
        </li>
      ))}
    </ul>
  );
};
