import { listed } from "./ListHeader.ts"

/** How much a client wants each coding, from 0 to 1, by an `accept-encoding`. */
export const codingWeights = (header: string | undefined): ReadonlyMap<string, number> =>
  new Map(
    listed(header?.toLowerCase()).map((member) => {
      const [coding = "", ...parameters] = member.split(";").map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith("q="))
      const value = weight === undefined ? 1 : Number(weight.slice(2))
      return [coding, value >= 0 && value <= 1 ? value : 0]
    })
  )
