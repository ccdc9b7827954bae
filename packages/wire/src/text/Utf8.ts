/** Bytes of well-formed text in UTF-8, counted without encoding it. */
export const utf8Length = (text: string): number => {
  let bytes = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    // Each half of a surrogate pair stands for 2 of the 4 bytes.
    else bytes += unit >= 0xd800 && unit <= 0xdfff ? 2 : 3
  }
  return bytes
}
