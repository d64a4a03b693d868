/** Creates a file with an accepted extension: a PDF if possible, otherwise text with the first extension. */
export function createSampleFile(title: string, extensions: readonly string[] = ["pdf"]): File {
  if (extensions.includes("pdf")) return createPdf(`${title}.pdf`, title);
  return new File([`${title}\n`], `${title}.${extensions[0]}`);
}

/** Creates a PDF file of one page with a line of text. */
function createPdf(name: string, text: string): File {
  const shown = text.replace(/[^ -~]/g, "?").replace(/[\\()]/g, "\\$&"); // The font has more, but not all, characters.
  const drawing = `BT /F1 18 Tf 72 720 Td (${shown}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let body = "%PDF-1.4\n";
  const places: string[] = [];
  for (const [index, object] of objects.entries()) {
    places.push(`${String(body.length).padStart(10, "0")} 00000 n \n`);
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const count = objects.length + 1;
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${places.join("")}`;
  const end = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return new File([body + table + end], name, { type: "application/pdf" });
}
