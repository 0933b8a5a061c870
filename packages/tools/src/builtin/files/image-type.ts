const kinds: readonly {
  readonly mediaType: string;
  readonly matches: (text: string) => boolean;
}[] = [
  { mediaType: 'image/png', matches: (text) => text.startsWith('\x89PNG\r\n\x1a\n') },
  { mediaType: 'image/jpeg', matches: (text) => text.startsWith('\xff\xd8\xff') },
  { mediaType: 'image/gif', matches: (text) => /^GIF8[79]a/.test(text) },
  { mediaType: 'image/webp', matches: (text) => /^RIFF.{4}WEBP/s.test(text) },
];

/** The kind of an image that models can see, by how it begins; not by its name, which may lie. */
export function imageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return kinds.find(({ matches }) => matches(start))?.mediaType;
}
