import type { Gpu } from './hardware.ts';

/** The files of one card in `/sys/class/drm/cardN/device`, as text. */
export interface AmdCard {
  readonly card: string;
  readonly mem_info_vram_total: string | undefined;
  readonly mem_info_gtt_total: string | undefined;
  /** The maker of the memory chips. The driver names one only where the card has its own. */
  readonly mem_info_vram_vendor: string | undefined;
}

/**
 * A card of AMD's driver. A GPU inside a processor has a small part of the memory to itself (what
 * the firmware set aside) and reaches more of it through GTT: both together are what it can use.
 * A card with memory of its own has GTT too, but over the bus, which does not count.
 */
export function parseAmdCard(card: AmdCard): Gpu[] {
  const vram = bytes(card.mem_info_vram_total);
  if (vram === undefined) return [];
  const maker = card.mem_info_vram_vendor?.trim() ?? '';
  const unified = maker === '' || maker === 'unknown';
  const gtt = unified ? (bytes(card.mem_info_gtt_total) ?? 0) : 0;
  return [{ vendor: 'amd', name: `AMD ${card.card}`, memoryBytes: vram + gtt, unified }];
}

function bytes(text: string | undefined): number | undefined {
  const value = Number(text?.trim() || Number.NaN);
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
