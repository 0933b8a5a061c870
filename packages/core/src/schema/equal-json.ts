import { canonicalJson, isJsonObject } from '../json.ts';
import { LimitExceeded, MAX_SCHEMA_DEPTH } from './budget.ts';

/**
 * Whether two JSON values are the same value, whatever the order of their properties. Walks no
 * deeper than `constant`, so it is safe where that one comes from a compiled schema.
 */
export function equalJson(value: unknown, constant: unknown): boolean {
  if (value === constant) return true;
  if (Array.isArray(constant)) {
    if (!Array.isArray(value) || value.length !== constant.length) return false;
    return constant.every((item, index) => equalJson(value[index], item));
  }
  if (!isJsonObject(constant) || !isJsonObject(value)) return false;
  const keys = Object.keys(constant);
  if (Object.keys(value).length !== keys.length) return false;
  return keys.every((key) => Object.hasOwn(value, key) && equalJson(value[key], constant[key]));
}

const FEW = 8;

/** Whether no two items are the same value. Linear in the size of the list. */
export function allUnique(items: readonly unknown[]): boolean {
  if (items.length <= FEW && items.every(isPrimitive)) {
    for (let i = 1; i < items.length; i++) {
      for (let j = 0; j < i; j++) if (items[i] === items[j]) return false;
    }
    return true;
  }
  const primitives = new Set<unknown>();
  const structures = new Set<string>();
  for (const item of items) {
    if (isPrimitive(item)) {
      if (primitives.has(item)) return false;
      primitives.add(item);
      continue;
    }
    if (isDeeperThan(item, MAX_SCHEMA_DEPTH)) {
      throw new LimitExceeded('it is nested too deep to be checked');
    }
    const key = canonicalJson(item);
    if (structures.has(key)) return false;
    structures.add(key);
  }
  return true;
}

/** Whether a value nests more than `levels`. Stops there, so any value is safe to ask about. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (isPrimitive(value)) return false;
  if (levels === 0) return true;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.some((part) => isDeeperThan(part, levels - 1));
}

function isPrimitive(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null;
}
