const longest = 40;

/** A few words of a request, fit for the name of a branch: `add-rate-limiting-to-the-api`. */
export function slugFor(request: string): string {
  const words =
    request
      .slice(0, 1_000)
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  let slug = '';
  for (const word of words) {
    const longer = slug === '' ? word.slice(0, longest) : `${slug}-${word}`;
    if (longer.length > longest) break;
    slug = longer;
  }
  return slug === '' ? 'work' : slug;
}
