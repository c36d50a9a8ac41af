// The files of web/ and the two chart libraries, as cmake embeds them (tools/embed.py).
#pragma once

#include <string_view>

namespace sonder::embedded {

extern const std::string_view page_html;
extern const std::string_view page_css;
extern const std::string_view forecast_html;
extern const std::string_view page_parts_js;
extern const std::string_view page_charts_js;
extern const std::string_view page_sweep_js;
extern const std::string_view page_tables_js;
extern const std::string_view page_replies_js;
extern const std::string_view page_js;
extern const std::string_view d3_js;
extern const std::string_view plot_js;

}  // namespace sonder::embedded
