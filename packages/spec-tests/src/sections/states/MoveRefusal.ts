import { rowOf } from "../Section.ts"

export const refusalOf = (id: string) => {
  const { outcome = {} } = rowOf("move", id)
  return { outcome: { ...outcome } }
}
