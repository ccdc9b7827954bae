import { TextLimits } from "@atrium/wire/text/TextLimits"

/** Of a folder that is too long for a message the end is shown, as it tells folders apart. */
export const devHeldText = (folder: string): string => {
  const says = "atrium dev of another folder has the project: "
  if (fitsMessage(says + folder)) return says + folder
  const characters = [...folder.toWellFormed()]
  while (!fitsMessage(`${says}…${characters.join("")}`)) characters.shift()
  return `${says}…${characters.join("")}`
}

const fitsMessage = (text: string): boolean =>
  new TextEncoder().encode(text).length <= TextLimits.messageBytes.max
