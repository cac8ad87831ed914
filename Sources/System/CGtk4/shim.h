#pragma once

#include <gtk/gtk.h>
#include <glib-unix.h>

// GLib 2.90 marks types as flags, and Swift imports such a type without its constants.
static const GApplicationFlags alcedo_g_application_non_unique = G_APPLICATION_NON_UNIQUE;
static const GDBusCallFlags alcedo_g_dbus_call_no_auto_start = G_DBUS_CALL_FLAGS_NO_AUTO_START;

// What libdispatch offers to the owner of a main loop that is not its own, as Foundation's run loop is. No header has it.

/// A descriptor that is readable when the main queue has work for the main thread.
extern int _dispatch_get_main_queue_handle_4CF(void);

/// Does the main queue's work; on the main thread only.
extern void _dispatch_main_queue_callback_4CF(void *unused);

/// Loads a style sheet. GTK 4.12 deprecated the function of older versions.
static inline void alcedo_gtk_css_provider_load(GtkCssProvider *provider, const char *sheet) {
#if GTK_CHECK_VERSION(4, 12, 0)
    gtk_css_provider_load_from_string(provider, sheet);
#else
    gtk_css_provider_load_from_data(provider, sheet, -1);
#endif
}

/// A texture of four 16-bit samples a pixel, premultiplied, whose colours have these code points (ITU-T H.273); null if GTK does
/// not know them, as all but those of sRGB before version 4.16.
static inline GdkTexture *alcedo_gdk_deep_texture(
    GBytes *bytes, int width, int height, unsigned primaries, unsigned transfer) {
    GdkMemoryFormat format = GDK_MEMORY_R16G16B16A16_PREMULTIPLIED;
    gsize stride = (gsize)width * 8;
    if (primaries == 1 && transfer == 13) return gdk_memory_texture_new(width, height, format, bytes, stride);
#if GTK_CHECK_VERSION(4, 16, 0)
    GdkCicpParams *params = gdk_cicp_params_new();
    gdk_cicp_params_set_color_primaries(params, primaries);
    gdk_cicp_params_set_transfer_function(params, transfer);
    gdk_cicp_params_set_matrix_coefficients(params, 0);
    gdk_cicp_params_set_range(params, GDK_CICP_RANGE_FULL);
    GdkColorState *state = gdk_cicp_params_build_color_state(params, NULL);
    g_object_unref(params);
    if (!state) return NULL;
    GdkMemoryTextureBuilder *builder = gdk_memory_texture_builder_new();
    gdk_memory_texture_builder_set_bytes(builder, bytes);
    gdk_memory_texture_builder_set_stride(builder, stride);
    gdk_memory_texture_builder_set_width(builder, width);
    gdk_memory_texture_builder_set_height(builder, height);
    gdk_memory_texture_builder_set_format(builder, format);
    gdk_memory_texture_builder_set_color_state(builder, state);
    GdkTexture *texture = gdk_memory_texture_builder_build(builder);
    g_object_unref(builder);
    gdk_color_state_unref(state);
    return texture;
#else
    return NULL;
#endif
}

/// Gets the chosen `GFile`s, or null if the user cancels.
typedef void (*alcedo_gtk_files_chosen)(GListModel *files, void *context);

#if GTK_CHECK_VERSION(4, 10, 0)
struct alcedo_gtk_choice {
    alcedo_gtk_files_chosen chosen;
    void *context;
};

static inline void alcedo_gtk_choice_end(GListModel *files, void *data) {
    struct alcedo_gtk_choice *choice = data;
    choice->chosen(files, choice->context);
    g_clear_object(&files);
    g_free(choice);
}

static inline void alcedo_gtk_opened(GObject *dialog, GAsyncResult *result, void *data) {
    alcedo_gtk_choice_end(gtk_file_dialog_open_multiple_finish(GTK_FILE_DIALOG(dialog), result, NULL), data);
}

static inline void alcedo_gtk_saved(GObject *dialog, GAsyncResult *result, void *data) {
    GFile *file = gtk_file_dialog_save_finish(GTK_FILE_DIALOG(dialog), result, NULL);
    GListStore *files = file ? g_list_store_new(G_TYPE_FILE) : NULL;
    if (file) g_list_store_append(files, file);
    g_clear_object(&file);
    alcedo_gtk_choice_end((GListModel *)files, data);
}
#else
static inline void alcedo_gtk_responded(GtkNativeDialog *dialog, int response, gpointer chosen) {
    GListModel *files = NULL;
    if (response == GTK_RESPONSE_ACCEPT) files = gtk_file_chooser_get_files(GTK_FILE_CHOOSER(dialog));
    ((alcedo_gtk_files_chosen)chosen)(files, g_object_get_data(G_OBJECT(dialog), "context"));
    g_clear_object(&files);
    g_object_unref(dialog);
}
#endif

/// Opens the desktop's dialog for files to open, or with a name for one to save, in a folder or null for the last one.
///
/// GTK 4.10 deprecated the dialog of older versions. Both call `chosen` once.
static inline void alcedo_gtk_choose_files(
    GtkWindow *parent, const char *title, const char *name, GFile *folder, GtkFileFilter *filter,
    alcedo_gtk_files_chosen chosen, void *context) {
#if GTK_CHECK_VERSION(4, 10, 0)
    struct alcedo_gtk_choice *choice = g_new(struct alcedo_gtk_choice, 1);
    choice->chosen = chosen;
    choice->context = context;
    GtkFileDialog *dialog = gtk_file_dialog_new();
    gtk_file_dialog_set_title(dialog, title);
    if (folder) gtk_file_dialog_set_initial_folder(dialog, folder);
    if (name) {
        gtk_file_dialog_set_initial_name(dialog, name);
        gtk_file_dialog_save(dialog, parent, NULL, alcedo_gtk_saved, choice);
    } else {
        gtk_file_dialog_set_default_filter(dialog, filter);
        gtk_file_dialog_open_multiple(dialog, parent, NULL, alcedo_gtk_opened, choice);
    }
    g_object_unref(dialog);
#else
    GtkFileChooserAction action = name ? GTK_FILE_CHOOSER_ACTION_SAVE : GTK_FILE_CHOOSER_ACTION_OPEN;
    GtkFileChooserNative *dialog = gtk_file_chooser_native_new(title, parent, action, NULL, NULL);
    GtkFileChooser *chooser = GTK_FILE_CHOOSER(dialog);
    if (folder) gtk_file_chooser_set_current_folder(chooser, folder, NULL);
    if (name) {
        gtk_file_chooser_set_current_name(chooser, name);
    } else {
        gtk_file_chooser_set_select_multiple(chooser, TRUE);
        gtk_file_chooser_add_filter(chooser, filter);
    }
    g_object_set_data(G_OBJECT(dialog), "context", context);
    g_signal_connect(dialog, "response", G_CALLBACK(alcedo_gtk_responded), (gpointer)chosen);
    gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
#endif
}

/// Gets 0, 1 or 2 for the buttons of a question.
typedef void (*alcedo_gtk_chosen)(int button, void *context);

struct alcedo_gtk_question {
    alcedo_gtk_chosen chosen;
    void *context;
    int button;
};

#if GTK_CHECK_VERSION(4, 10, 0)
static inline void alcedo_gtk_question_chosen(GObject *dialog, GAsyncResult *result, void *data) {
    struct alcedo_gtk_question *question = data;
    // Fails if the window is destroyed.
    int button = gtk_alert_dialog_choose_finish(GTK_ALERT_DIALOG(dialog), result, NULL);
    question->chosen(button > 0 ? button : 0, question->context);
    g_free(question);
}
#else
static inline void alcedo_gtk_question_responded(GtkDialog *dialog, int response, gpointer data) {
    struct alcedo_gtk_question *question = data;
    question->button = response > 0 ? response : 0;
    gtk_window_destroy(GTK_WINDOW(dialog));
}

static inline void alcedo_gtk_question_destroyed(GtkWidget *dialog, gpointer data) {
    struct alcedo_gtk_question *question = data;
    question->chosen(question->button, question->context);
    g_free(question);
}
#endif

/// Asks a question with three buttons, of which Escape stands for the first and Return for the last.
///
/// GTK 4.10 deprecated the dialog of older versions. Both call `chosen` once, with 0 if the window is destroyed.
static inline void alcedo_gtk_ask(
    GtkWindow *parent, const char *message, const char *detail, const char *first, const char *second,
    const char *third, alcedo_gtk_chosen chosen, void *context) {
    struct alcedo_gtk_question *question = g_new0(struct alcedo_gtk_question, 1);
    question->chosen = chosen;
    question->context = context;
#if GTK_CHECK_VERSION(4, 10, 0)
    const char *buttons[] = {first, second, third, NULL};
    GtkAlertDialog *dialog = gtk_alert_dialog_new("%s", message);
    gtk_alert_dialog_set_detail(dialog, detail);
    gtk_alert_dialog_set_buttons(dialog, buttons);
    gtk_alert_dialog_set_cancel_button(dialog, 0);
    gtk_alert_dialog_set_default_button(dialog, 2);
    gtk_alert_dialog_choose(dialog, parent, NULL, alcedo_gtk_question_chosen, question);
    g_object_unref(dialog);
#else
    GtkWidget *widget = gtk_message_dialog_new(
        parent, GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT, GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, "%s", message);
    gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(widget), "%s", detail);
    gtk_dialog_add_buttons(GTK_DIALOG(widget), first, 0, second, 1, third, 2, NULL);
    gtk_dialog_set_default_response(GTK_DIALOG(widget), 2);
    g_signal_connect(widget, "response", G_CALLBACK(alcedo_gtk_question_responded), question);
    g_signal_connect(widget, "destroy", G_CALLBACK(alcedo_gtk_question_destroyed), question);
    gtk_window_present(GTK_WINDOW(widget));
#endif
}
