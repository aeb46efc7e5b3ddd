/** At most `limit` items, spread over the whole list. */
export function evenly<Item>(items: readonly Item[], limit: number): readonly Item[] {
  if (items.length <= limit) return items;
  return Array.from({ length: limit }, (_, place) => items[Math.floor((place * items.length) / limit)] as Item);
}
