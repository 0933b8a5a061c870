import { isMultipleOf } from './decimal.ts';
import type { Check, NumberRules } from './schema-node.ts';

/** `minimum` … `exclusiveMaximum` and `multipleOf`. A limit not given is infinite. */
export function numberCheck(rules: NumberRules): Check<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = rules;
  return {
    accepts: (value) =>
      value >= minimum &&
      value <= maximum &&
      value > exclusiveMinimum &&
      value < exclusiveMaximum &&
      (multipleOf === undefined || isMultipleOf(value, multipleOf)),
    explain(value, sink) {
      if (!(value >= minimum)) sink.add('minimum', `must be ${minimum} or more`, value);
      if (!(value <= maximum)) sink.add('maximum', `must be ${maximum} or less`, value);
      if (!(value > exclusiveMinimum)) {
        sink.add('exclusiveMinimum', `must be more than ${exclusiveMinimum}`, value);
      }
      if (!(value < exclusiveMaximum)) {
        sink.add('exclusiveMaximum', `must be less than ${exclusiveMaximum}`, value);
      }
      if (multipleOf !== undefined && !isMultipleOf(value, multipleOf)) {
        sink.add('multipleOf', `must be a multiple of ${multipleOf}`, value);
      }
    },
  };
}
