#!/usr/bin/env python3
"""A file becomes a C++ byte string: embed.py SYMBOL FILE OUT. SYMBOL is declared by the room that uses it as
`extern const std::string_view SYMBOL;` in namespace sonder::embedded."""
import sys

symbol, source, out = sys.argv[1:4]
data = open(source, "rb").read()
lines = [data[i : i + 4096] for i in range(0, len(data), 4096)]
with open(out, "w") as file:
    file.write("#include <string_view>\nnamespace sonder::embedded {\n")
    file.write("extern const std::string_view %s;\n" % symbol)
    file.write("static const unsigned char kBytes[] = {\n")
    for line in lines:
        file.write(",".join(map(str, line)) + ",\n")
    file.write("0};\n")
    file.write("const std::string_view %s(reinterpret_cast<const char*>(kBytes), %d);\n}\n" % (symbol, len(data)))
