/** The moment so many seconds ago, as the API writes it: commands tell ages by the machine's clock. */
export const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString()
