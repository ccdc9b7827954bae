/** The members of a header that is a list, such as `if-none-match`; a header that is not there has none. */
export const listed = (header: string | undefined): ReadonlyArray<string> =>
  header?.split(",").map((member) => member.trim()) ?? []
