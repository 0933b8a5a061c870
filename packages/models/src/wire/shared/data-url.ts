/** What to call an image whose URL does not say what it leads to. */
export const unknownImageType = 'image/*';

/** The media type and base64 data of a `data:` URL; nothing for a URL that has to be fetched. */
export function readDataUrl(url: string): { mediaType: string; data: string } | undefined {
  const head = /^data:([^;,]+)(?:;[^,]*)?;base64,/i.exec(url);
  return head?.[1] === undefined
    ? undefined
    : { mediaType: head[1], data: url.slice(head[0].length) };
}

export function writeDataUrl({ mediaType, data }: { mediaType: string; data: string }): string {
  return `data:${mediaType};base64,${data}`;
}
